// A client of MCP 2026-07-28 over fetch: each request stands for itself. Only what a page needs.
import { events } from "./sse";

const REVISION = "2026-07-28";

/** The server understood and said no. */
export class Refused extends Error {
  constructor(
    readonly code: string | number,
    message: string,
    readonly data: Record<string, any> = {},
  ) {
    super(message);
  }
}

/** The server wants a token, or another one. */
export class Locked extends Error {}

/** Nothing answered. */
export class Unreachable extends Error {}

/** No answer takes this long; what hangs is given up, and said. */
const PATIENCE = 15_000;

/** Fetches, and tells apart what can go wrong on the way. Only a stream brings its own end. */
export async function ask(url: string, options: RequestInit, token: string | null): Promise<Response> {
  const headers = new Headers(options.headers);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), ...options, headers, cache: "no-cache" });
  } catch (error) {
    throw new Unreachable(String(error));
  }
  if (response.status === 401) throw new Locked();
  return response;
}

export class Mcp {
  #next = 1;

  constructor(
    private readonly url: string,
    private readonly client: { name: string; version: string },
    private readonly token: () => string | null,
  ) {}

  #send(method: string, name: string | null, params: object, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": REVISION,
      "Mcp-Method": method,
    };
    if (name) headers["Mcp-Name"] = name;
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: this.#next++,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": REVISION,
          "io.modelcontextprotocol/clientInfo": this.client,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
    return ask(this.url, { method: "POST", headers, body, ...(signal && { signal }) }, this.token());
  }

  /** Calls a tool and gives its structured result. */
  async call(tool: string, args: object): Promise<any> {
    const response = await this.#send("tools/call", tool, { name: tool, arguments: args });
    const message = await json(response);
    if (message.error) throw new Refused(message.error.code, message.error.message, message.error.data);
    const result = message.result ?? {};
    if (!result.isError) return result.structuredContent;
    const text = result.content?.[0]?.text ?? "";
    let error: any;
    try {
      error = JSON.parse(text).error;
    } catch {}
    throw new Refused(error?.code ?? "failed", error?.message ?? (text || "The call failed"), error?.data);
  }

  /**
   * Tells of changes of resources until the stream ends. `alive` is called for every sign of life, `ready` once the
   * server listens.
   */
  async listen(
    uris: string[],
    signal: AbortSignal,
    on: { ready(): void; updated(uri: string): void; alive(): void },
  ): Promise<void> {
    const params = { notifications: { resourceSubscriptions: uris } };
    on.alive();
    const response = await this.#send("subscriptions/listen", null, params, signal);
    const streams = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!response.ok || !response.body || !streams) {
      const message = await json(response);
      throw new Refused(message.error?.code ?? response.status, message.error?.message ?? response.statusText);
    }
    on.alive();
    try {
      for await (const data of events(response.body)) {
        on.alive();
        if (!data) continue;
        const message = JSON.parse(data);
        if (message.method === "notifications/subscriptions/acknowledged") on.ready();
        else if (message.method === "notifications/resources/updated") on.updated(message.params.uri);
      }
    } catch (error) {
      throw new Unreachable(String(error));
    }
  }
}

/** The body as JSON; an answer that is none is an error in words. */
export async function json(response: Response): Promise<any> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw new Unreachable(String(error));
  }
  try {
    return JSON.parse(text);
  } catch {
    const words = text.trim().slice(0, 200) || response.statusText;
    return { error: { code: "failed", message: `${response.status} ${words}` } };
  }
}

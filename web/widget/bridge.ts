// The bridge of MCP Apps (2026-01-26): JSON-RPC over postMessage with the host around this page. Knows messages, not
// what they are about.

/** Why a request got no result: the host said no, or nothing at all. */
export class Unanswered extends Error {
  constructor(
    readonly why: "refused" | "silence",
    message: string,
    readonly code?: unknown,
  ) {
    super(message);
  }
}

export interface Bridge {
  request(method: string, params: object, patience: number): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Says nothing more, once what is being answered is answered. */
  end(): void;
}

type Handlers = Record<string, (params: Record<string, unknown>) => object | void>;

interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** Listens to the host. What a handler returns answers a request; notifications have no answer. */
export function connect(handlers: Handlers): Bridge {
  const waiting = new Map<unknown, { done: (result: unknown) => void; failed: (error: Unanswered) => void }>();
  let last = 0;
  let ending = false;
  let ended = false;
  // Who the host is can't be known before it speaks; everything that is sent is for the page around this one only.
  const post = (message: object) => {
    if (!ended) window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  };

  const called = (message: Message, method: string) => {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    const answer = handler?.(record(message.params));
    const awaited = message.id !== undefined && message.id !== null;
    if (awaited && handler) post({ id: message.id, result: answer ?? {} });
    else if (awaited) post({ id: message.id, error: { code: -32601, message: "Method not found" } });
    ended = ending;
  };

  const answered = (message: Message) => {
    const request = waiting.get(message.id);
    if (!request) return;
    waiting.delete(message.id);
    if (message.error === undefined) return request.done(message.result);
    const { message: said, code } = record(message.error);
    const reason = typeof said === "string" && said ? said : "The host gave no reason.";
    request.failed(new Unanswered("refused", reason, code));
  };

  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    // Only the page around this one is the host; other frames may try.
    if (event.source !== window.parent) return;
    const message = record(event.data) as Message;
    if (message.jsonrpc !== "2.0") return;
    if (typeof message.method === "string") called(message, message.method);
    else answered(message);
  });

  return {
    notify: (method, params) => post({ method, params }),
    end() {
      ending = true;
    },
    request: (method, params, patience) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new Unanswered("refused", "The app around this page has closed it."));
        const id = ++last;
        const late = setTimeout(() => {
          waiting.delete(id);
          reject(new Unanswered("silence", `No answer in ${Math.round(patience / 1000)} seconds.`));
        }, patience);
        const after =
          <T>(next: (value: T) => void) =>
          (value: T) => {
            clearTimeout(late);
            next(value);
          };
        waiting.set(id, { done: after(resolve), failed: after(reject) });
        post({ id, method, params });
      }),
  };
}

/** What should be an object, as one that can be asked for anything. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

// Does with the official TypeScript SDK what a story says, one JSON line at a time.
// Arguments: the SDK's line (1 or 2), how to agree on a revision, where the server is.
import { createInterface } from "node:readline";

const [line, mode, where] = process.argv.slice(2);
const target = JSON.parse(where);
const info = { name: "typescript-story", version: "1.0.0" };

async function connect() {
  if (line === "1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client(info);
    if (target.url) {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      await client.connect(new StreamableHTTPClientTransport(new URL(target.url)));
    } else {
      const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
      await client.connect(new StdioClientTransport(target));
    }
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const negotiation = mode === "pin" ? { mode: { pin: "2026-07-28" } } : { mode };
  const client = new Client(info, { versionNegotiation: negotiation });
  const transport = target.url ? new StreamableHTTPClientTransport(new URL(target.url)) : new StdioClientTransport(target);
  await client.connect(transport);
  return client;
}

const client = await connect();
const spoken = () => client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion ?? client.transport?._protocolVersion ?? "unknown";

const actions = {
  hello: async () => spoken(),
  tools: async () => (await client.listTools()).tools,
  call: (name, args) => client.callTool({ name, arguments: args }),
  prompts: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
  read: async (uri) => (await client.readResource({ uri })).contents[0].text,
};

for await (const text of createInterface({ input: process.stdin })) {
  const [what, ...args] = JSON.parse(text);
  let answer;
  try {
    answer = { value: await actions[what](...args) };
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await client.close();
process.exit(0);

// A host of MCP Apps, as real as it gets: the official AppBridge and client, around the widget of a real server. The
// tests drive it through `window.host`.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const EXTENSION = "io.modelcontextprotocol/ui";
const URI = "ui://widget/todo.html";

/** What stands in the way of calls, by name. */
const OBSTACLES = {
  refuse: async () => ({ isError: true, content: [{ type: "text", text: '{"error":{"message":"The disk is full"}}' }] }),
  error: async () => {
    throw new Error("the server is gone");
  },
  /** No such tool: as the server says it, as a result, and as a host that knows no such method. */
  unknown: async ({ name }) => {
    throw new Error(`Unknown tool: ${name}`);
  },
  notFound: async ({ name }) => ({ isError: true, content: [{ type: "text", text: `MCP error -32602: Tool ${name} not found` }] }),
  noMethod: async () => {
    throw Object.assign(new Error("Nope"), { code: -32601 });
  },
  silence: () => new Promise(() => {}),
  sentence: async (_, call) => {
    const { content } = await call();
    return { content };
  },
  json: async (_, call) => {
    const { structuredContent } = await call();
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
  },
};

const host = {
  calls: [],
  sizes: [],
  modes: [],
  /** Which tools are hindered, and how: `{ add_todo: "refuse" }`. */
  obstacles: {},
  /** Calls that wait until they are let go: `host.hold = true`, `host.release()`. */
  hold: false,
  held: [],
  release() {
    this.hold = false;
    for (const go of this.held.splice(0)) go();
  },

  async answer(params) {
    this.calls.push({ name: params.name, arguments: params.arguments });
    if (this.hold) await new Promise((go) => this.held.push(go));
    const call = () => this.client.callTool(params);
    const obstacle = this.obstacles[params.name];
    return obstacle ? OBSTACLES[obstacle](params, call) : call();
  },

  async start({ layout, era, sandbox, policy, tool = "list_todos", parameters = {}, context = {}, able = { serverTools: {} }, result }) {
    const mode = era === "2026-07-28" ? { pin: era } : "legacy";
    this.client = new Client({ name: "host", version: "1" }, {
      versionNegotiation: { mode },
      capabilities: { extensions: { [EXTENSION]: { mimeTypes: ["text/html;profile=mcp-app"] } } },
    });
    await this.client.connect(new StreamableHTTPClientTransport(new URL("/mcp/app", location.href)));
    const { contents } = await this.client.readResource({ uri: URI });
    const html = contents[0].text;
    const frame = document.createElement("iframe");
    frame.title = "widget";
    document.getElementById("place").append(frame);
    this.frame = frame;

    const bridge = new AppBridge(this.client, { name: "host", version: "1" }, able, { hostContext: context });
    this.bridge = bridge;
    bridge.onsizechange = ({ width, height }) => {
      this.sizes.push({ width, height });
      if (!("height" in (context.containerDimensions ?? {}))) frame.style.height = `${height}px`;
    };
    bridge.onrequestdisplaymode = async ({ mode }) => {
      this.modes.push(mode);
      const given = context.availableDisplayModes?.includes(mode) ? mode : "inline";
      document.body.dataset.mode = given;
      bridge.setHostContext({ ...context, displayMode: given });
      return { mode: given };
    };
    const initialized = new Promise((done) => (bridge.oninitialized = done));
    const connect = async () => {
      await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
      // Connecting sets a handler of its own, which would let nobody look.
      if (able.serverTools) bridge.oncalltool = (params) => this.answer(params);
    };

    if (layout === "proxy") {
      frame.sandbox = "allow-scripts allow-same-origin allow-forms";
      const ready = new Promise((done) => (bridge.onsandboxready = done));
      await connect();
      frame.src = sandbox;
      await ready;
      await bridge.sendSandboxResourceReady({ html, csp: contents[0]._meta.ui.csp });
    } else {
      // The strictest that hosts do: scripts, and nothing else.
      frame.sandbox = "allow-scripts";
      await connect();
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      frame.srcdoc = html.replace("<head>", `<head>${meta}`);
    }
    await initialized;
    this.app = bridge.getAppVersion();
    if (result === "none") return;
    await bridge.sendToolInput({ arguments: parameters });
    await bridge.sendToolResult(result ?? (await this.client.callTool({ name: tool, arguments: parameters })));
  },
};

window.host = host;

// How heavy the dashboard is, and how smooth with 5,000 tasks, in a real browser:
//   node bench/browser.mjs target/release/todori
// Run by hand on a quiet machine. Prints a table; the figures to reach are in its last column.
process.env.TODORI = process.argv[2] ?? "target/release/todori";
const { end, open, Project, until } = await import("../web/tests/harness.mjs");

const TASKS = 5_000;
const RUNS = 3;
const WORDS = ["login", "search", "billing", "export", "parser"];
const STATUSES = ["pending", "pending", "pending", "in-progress", "blocked", "done", "done", "deferred"];

const rows = [];
try {
  rows.push(await weight());
  rows.push(...(await smoothness()));
} finally {
  await end();
}
console.log(["| what | measured | to reach |", "|---|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n"));
process.exit(0);

/** All bytes that cross the wire until something of the board is painted. */
async function weight() {
  const project = new Project();
  project.write(Array.from({ length: 20 }, (_, i) => ({ title: `Task ${i} about ${WORDS[i % WORDS.length]}` })));
  const server = await project.serve();
  const page = await open({ width: 1600 });
  const wire = await page.context().newCDPSession(page);
  await wire.send("Network.enable");
  let bytes = 0;
  wire.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await page.goto(server.url);
  await page.locator(".card").first().waitFor();
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
  await page.context().close();
  return ["transferred up to the board of 20 tasks", `${(bytes / 1000).toFixed(1)} KB (first paint after ${paint.toFixed(0)} ms)`, "< 100 KB"];
}

/** The longest gap between two frames while something happens. */
async function smoothness() {
  const project = new Project();
  project.write(
    Array.from({ length: TASKS }, (_, i) => ({
      title: `Task ${i} about ${WORDS[i % WORDS.length]} ${"and more ".repeat(i % 7)}`,
      status: STATUSES[i % STATUSES.length],
      priority: ["high", "medium", "low"][i % 3],
      dependencies: i >= 10 && i % 10 === 0 ? [i - 9] : [],
    })),
  );
  const server = await project.serve();
  const worst = { rendering: [], filtering: [], scrolling: [], updating: [], tasks: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const page = await open({ width: 1600 });
    await page.addInitScript(() => {
      window.gaps = [];
      window.long = [];
      new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
      let last = performance.now();
      const frame = (now) => {
        // Before the first paint there is no frame that could be late.
        const painted = performance.getEntriesByName("first-contentful-paint")[0];
        if (painted && last >= painted.startTime) window.gaps.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    const measure = async (doing) => {
      await page.evaluate(() => (window.gaps.length = window.long.length = 0));
      await doing();
      await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
      const [gap, long] = await page.evaluate(() => [Math.max(0, ...window.gaps), Math.max(0, ...window.long)]);
      worst.tasks.push(long);
      return gap;
    };
    await page.goto(server.url);
    await page.locator(".card").first().waitFor();
    await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    worst.rendering.push(await page.evaluate(() => Math.max(0, ...window.gaps)));
    worst.tasks.push(await page.evaluate(() => Math.max(0, ...window.long)));
    worst.filtering.push(
      await measure(async () => {
        await page.getByRole("searchbox").pressSequentially("task 12 billing", { delay: 30 });
        await page.keyboard.press("Escape");
        await page.getByLabel("Filter by priority").selectOption("high");
        await page.getByLabel("Filter by priority").selectOption("");
      }),
    );
    worst.scrolling.push(
      await measure(async () => {
        for (let i = 0; i < 30; i += 1) {
          await page.locator(".scroller").first().evaluate((element) => (element.scrollTop += 900));
          await page.evaluate(() => new Promise(requestAnimationFrame));
        }
      }),
    );
    worst.updating.push(
      await measure(async () => {
        await page.getByRole("searchbox").fill(`added ${run}`);
        await project.run("add", `Added ${run}`);
        await until("it is shown", () => page.locator(".card").count());
      }),
    );
    await page.context().close();
  }
  const most = (list) => `${Math.max(...list).toFixed(0)} ms`;
  return [
    [`longest frame while ${TASKS} tasks are rendered`, most(worst.rendering), "< 100 ms"],
    ["longest frame while typing a search, and filtering", most(worst.filtering), "< 100 ms"],
    ["longest frame while scrolling a column", most(worst.scrolling), "< 100 ms"],
    ["longest frame while somebody else's change arrives", most(worst.updating), "< 100 ms"],
    ["longest task of the main thread, the start of the page included", most(worst.tasks), ""],
  ];
}

// Scenarios of the fleet page in a browser: `node fleet.mjs <name>`, with a fleet in the database that INHOUSE_STORE names.
// `pictures` makes those of the guide, in the directory that INHOUSE_FLEET_PICTURES names.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { firstLine, lowContrast, newPage, run, scroll, status } from "./support.mjs";

let server;

/** Runs `inhouse fleet` and returns what it prints. */
const fleet = (...words) => execFileSync(process.env.INHOUSE, ["fleet", ...words], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });

/** Starts `inhouse fleet --web` and returns its address. */
async function serve() {
  server = spawn(process.env.INHOUSE, ["fleet", "--web", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const { url } = JSON.parse(await firstLine(server));
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  return url;
}

async function openFleet(url, options = {}) {
  const page = await newPage(options);
  await page.goto(url);
  await page.locator(".filter").waitFor();
  await page.locator(".live", { hasText: "live" }).waitFor();
  return page;
}

const row = (page, kind, session) => page.locator(`.rows .row.kind-${kind}`, { has: page.locator(".session", { hasText: new RegExp(`^${session}$`) }) });
const sessions = (page) => page.locator(".rows .row .session").allTextContents();
const selected = (page) => page.locator(".row.is-selected .session").textContent();
const notice = (page, text) => page.locator(".notice", { hasText: text }).waitFor();

const scenarios = {
  async renders() {
    const page = await openFleet(await serve());
    await row(page, "running", "bob").waitFor();
    // A session becomes deferred a moment after its question was stored.
    await row(page, "deferred", "finn").waitFor();
    assert.deepEqual(await sessions(page), ["dora", "finn", "eve", "dora", "finn", "ada", "bob", "cleo"]);
    const counts = await page.locator(".filter button").allInnerTexts();
    assert.deepEqual(counts.map((text) => text.replaceAll(/\s+/g, " ").trim()), ["All", "Questions 2", "Parked 1", "Running 2", "Ready 1", "Delayed 0", "Deferred 2"]);
    const totals = (await page.locator(".totals").innerText()).replaceAll(/\s+/g, " ");
    assert.match(totals, /Oldest prompt \d+ .*Queued 2 Slots 2 \/ 2$/);
    assert.match(await page.locator("h1").innerText(), /127\.0\.0\.1\/postgres/);
    assert.match(await page.locator(".host").innerText(), /agents-1\s+2 \/ 2/);
    assert.match(await row(page, "parked", "eve").innerText(), /the CLI exited with code 1/);
    // HTML in a prompt is text.
    assert.equal(await row(page, "parked", "eve").locator(".name").textContent(), "Fail <b>badly</b> & loudly");

    await page.keyboard.press("j");
    assert.equal(await page.locator("#detail h2").textContent(), "mcp__bank__refund");
    assert.match(await page.locator("#detail .json").innerText(), /dollars: 5/);
    await page.keyboard.press("G");
    assert.equal(await selected(page), "cleo");
    await page.keyboard.press("e");
    assert.equal(await selected(page), "dora");
    await page.keyboard.press("E");
    assert.equal(await selected(page), "eve");
    assert.match(await page.locator("#detail").innerText(), /Failed attempts\s+1/);
    await page.keyboard.press("4");
    assert.deepEqual(await sessions(page), ["cleo"]);
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#detail h2").textContent(), "Overview");
    await page.locator("#detail .link").click();
    // Prompts that wait for a person are not the oldest that wait for a host.
    assert.equal(await page.locator("#detail h2").textContent(), "Hold the line");

    await page.keyboard.press("/");
    await page.keyboard.type("REFUND");
    await page.locator(".search-count", { hasText: "2 found" }).waitFor();
    await page.keyboard.press("Enter");
    assert.ok(await page.evaluate(() => document.activeElement.id === "rows"));
    await page.locator("input[type=search]").fill("no such text anywhere");
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal((await sessions(page)).length, 8);
    await page.locator(".host").click();
    await page.getByRole("button", { name: "Show its sessions" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".rows .row").length === 2);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    return page;
  },

  async actions() {
    const page = await openFleet(await serve());
    const button = (name) => page.locator("#detail").getByRole("button", { name });

    await row(page, "question", "dora").click();
    assert.ok(await button("Deny").isDisabled(), "a denial needs a reason");
    await page.getByLabel("Reason for a denial").fill("Not on a Sunday");
    // Enter in this field denies; it must never allow.
    await page.keyboard.press("Enter");
    await notice(page, "is answered");
    await page.locator("#detail", { hasText: "No longer open" }).waitFor();
    await row(page, "question", "dora").waitFor({ state: "detached" });

    await row(page, "question", "finn").click();
    await button("Answer").click();
    assert.equal(await row(page, "question", "finn").count(), 1, "an option has to be chosen");
    await page.getByLabel("Blue").check();
    await button("Answer").click();
    await row(page, "question", "finn").waitFor({ state: "detached" });

    await row(page, "ready", "cleo").click();
    await button("Park").click();
    await row(page, "parked", "cleo").waitFor();
    assert.equal(await page.locator("#detail .state").textContent(), "Parked", "the selection follows the prompt");

    await row(page, "running", "bob").click();
    await button("Cancel").click();
    assert.equal(await row(page, "running", "bob").count(), 1, "a click asks once more");
    await button("Cancel this prompt?").click();
    await row(page, "running", "bob").waitFor({ state: "detached" });

    // The script of the host makes it fail again, with another time.
    await row(page, "parked", "eve").click();
    await button("Retry").click();
    await notice(page, "is queued again");

    const refused = await page.evaluate(async () => {
      const { token } = document.getElementById("fleet").dataset;
      const body = JSON.stringify({ action: "retry", work: "00000000-0000-4000-8000-000000000000" });
      const response = await fetch("action", { method: "POST", headers: { "x-inhouse-token": token }, body });
      return { status: response.status, text: await response.text() };
    });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /there is no work 0+-[\s\S]*inhouse fleet status/);
    // The browser reports that answer.
    page.problems = page.problems.filter((problem) => !problem.includes("400"));

    await page.locator(".host").click();
    await button("Drain").click();
    await button("Drain this host?").click();
    await notice(page, "takes no further work");
    await page.getByText("No host serves this fleet").waitFor();
    return page;
  },

  async forged() {
    const url = await serve();
    const { sessions } = JSON.parse(fleet("status", "--json"));
    const body = JSON.stringify({ action: "cancel", work: sessions[0].work });
    const action = new URL("action", url);
    const type = { "content-type": "application/json" };
    assert.equal(await post(action, body, type), 403);
    assert.equal(await post(action, body, { ...type, "x-inhouse-token": "0".repeat(32) }), 403);
    assert.equal(await status(action), 405);
    assert.equal(await status(new URL("/", url)), 404);
    assert.equal(await status(new URL(url), { host: "example.com" }), 403);
    assert.equal(await post(action, body, { ...type, host: "example.com" }), 403);

    // A page of another origin that knows the address can neither read the page nor act.
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>other</title>"));
    await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
    try {
      const page = await newPage();
      await page.goto(`http://127.0.0.1:${other.address().port}/`);
      const attempts = await page.evaluate(
        async ({ url, body }) => {
          const attempt = (path, options) => fetch(url + path, options).then((response) => response.type, () => "refused");
          const token = { "x-inhouse-token": "guess", "content-type": "application/json" };
          return [await attempt("", {}), await attempt("action", { method: "POST", mode: "no-cors", body }), await attempt("action", { method: "POST", headers: token, body })];
        },
        { url, body },
      );
      assert.deepEqual(attempts, ["refused", "opaque", "refused"]);
      const frame = await page.evaluate(
        (url) =>
          new Promise((resolve) => {
            const frame = document.createElement("iframe");
            frame.onload = () => resolve(frame.contentDocument === null);
            frame.src = url;
            document.body.append(frame);
          }),
        url,
      );
      assert.ok(frame, "the page is not shown in a frame");
      assert.equal(await page.frames().at(-1).locator(".filter").count(), 0);
    } finally {
      other.close();
    }
  },

  async live() {
    const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
    const page = await openFleet(await serve());
    await row(page, "ready", "ada").click();
    const { sessions } = JSON.parse(fleet("status", "--json"));
    fleet("park", sessions[0].work, "--reason", "Not today");
    await row(page, "parked", "ada").waitFor();
    await page.locator("#detail .reason", { hasText: "Not today" }).waitFor();
    fleet("retry", sessions[0].work);
    await row(page, "ready", "ada").waitFor();
    const before = await page.locator(".totals dd").first().textContent();
    await page.waitForFunction((before) => document.querySelector(".totals dd").textContent !== before, before);
    console.log("shown");
    assert.equal((await lines.next()).value, "crashed");
    await page.getByRole("alert").filter({ hasText: "database" }).waitFor();
    assert.equal(await row(page, "ready", "ada").count(), 1, "what was seen last stays");
    console.log("problem shown");
    assert.equal((await lines.next()).value, "restarted");
    await page.getByRole("alert").waitFor({ state: "detached" });
    fleet("park", sessions[0].work);
    await row(page, "parked", "ada").waitFor();
    process.stdin.destroy();
    return page;
  },

  async thousands() {
    const page = await openFleet(await serve());
    await page.waitForFunction(() => document.getElementById("rows").getAttribute("aria-rowcount") === "5000");
    const { nodes, median } = await page.evaluate(scroll);
    console.log({ nodes, median });
    assert.ok(nodes < 1500, `${nodes} nodes`);
    assert.ok(median < 500, `a step of ${median} ms`);
    await page.locator("input[type=search]").fill("session-4321");
    await page.locator(".search-count", { hasText: /^1 found$/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("G");
    assert.equal(await selected(page), (await sessions(page)).at(-1));
    // The list keeps its place when a snapshot comes.
    const top = await page.evaluate(() => document.getElementById("rows").scrollTop);
    fleet("park", JSON.parse(fleet("status", "--json")).sessions[0].work);
    await page.locator("[data-kind=parked]", { hasText: "1" }).waitFor();
    assert.equal(await page.evaluate(() => document.getElementById("rows").scrollTop), top);
    return page;
  },

  async themes() {
    const url = await serve();
    for (const colorScheme of ["light", "dark"]) {
      const page = await openFleet(url, { colorScheme });
      for (const [kind, session] of [["question", "dora"], ["question", "finn"], ["parked", "eve"], ["running", "ada"]]) {
        await row(page, kind, session).click();
        const low = await page.evaluate(lowContrast);
        assert.deepEqual(low, [], `${colorScheme}: ${JSON.stringify(low)}`);
      }
      await page.keyboard.press("Escape");
      assert.deepEqual(await page.evaluate(lowContrast), []);
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await background();
      assert.equal(before, colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(21, 23, 28)");
      await page.keyboard.press("t");
      assert.notEqual(await background(), before);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
  },

  async pictures() {
    const target = process.env.INHOUSE_FLEET_PICTURES;
    const url = await serve();
    const viewport = { width: 1280, height: 760 };
    const light = await openFleet(url, { viewport });
    await row(light, "running", "ada").waitFor();
    await light.screenshot({ path: join(target, "fleet-overview.png") });
    const dark = await openFleet(url, { colorScheme: "dark", viewport });
    await row(dark, "question", "dora").click();
    await dark.screenshot({ path: join(target, "fleet-question.png") });
  },
};

/** Posts a text and returns the status of the response. */
function post(url, body, headers) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (response) => resolve(response.resume().statusCode));
    sent.on("error", reject).end(body);
  });
}

try {
  await run(scenarios);
} finally {
  server?.kill();
}

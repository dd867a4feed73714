// What the scenarios share: the browser, and checks of a page.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const DEADLINE = 120_000;

const { chromium } = createRequire(join(process.env.INHOUSE_TRACE_PAGE, "package.json"))("playwright-core");
let browser;

/** A directory that is removed at the end. */
export const directory = mkdtempSync(join(tmpdir(), "inhouse-browser-"));

/** Opens a page; anything that the browser reports fails the scenario, and so does a request to a server. */
export async function newPage(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light", ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.problems.push(message.text()));
  page.on("request", (request) => /^(file|data|http:\/\/127\.0\.0\.1)/.test(request.url()) || page.problems.push(request.url()));
  return page;
}

/** Returns the first line that a program prints. */
export function firstLine(program) {
  return new Promise((resolve) => createInterface(program.stdout).once("line", resolve));
}

/** Returns the status of a request. */
export function status(url, headers = {}) {
  return new Promise((resolve, reject) => get(url, { headers }, (response) => resolve(response.resume().statusCode)).on("error", reject));
}

/** Jumps through the list, so that each step shows other rows; returns the largest number of elements, and the time of a step. */
export async function scroll() {
  const list = document.getElementById("rows");
  const rows = Number(list.getAttribute("aria-rowcount"));
  const rowHeight = document.querySelector(".rows .row").offsetHeight;
  const times = [];
  let nodes = 0;
  for (let step = 0; step <= 60; step += 1) {
    const begin = performance.now();
    list.scrollTop = step % 2 === 1 ? 0 : rowHeight * (80 + ((rows - 130) * step) / 60);
    // The second frame comes when the first one is drawn.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    times.push(performance.now() - begin);
    nodes = Math.max(nodes, document.querySelectorAll("*").length);
    const box = list.getBoundingClientRect();
    const middle = document.elementFromPoint(box.left + 200, box.top + box.height / 2);
    if (!middle?.closest(".row")) throw new Error(`nothing is drawn at step ${step}`);
  }
  times.sort((a, b) => a - b);
  return { nodes, rows, median: times[30] };
}

/** Returns the texts whose contrast with their background is below 4.5, the limit of WCAG AA. */
export function lowContrast() {
  const channels = (color) => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] === 255) return backgroundColor;
    }
    return "white";
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
    if (!hasText || element.closest("script, style") || element.getClientRects().length === 0) continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push([element.className, element.textContent.slice(0, 40), contrast.toFixed(2)]);
  }
  return low;
}

/** Runs the scenario that the first argument names. */
export async function run(scenarios) {
  const name = process.argv[2];
  setTimeout(() => {
    console.error(`${name} still runs after ${DEADLINE} ms`);
    process.exit(1);
  }, DEADLINE).unref();
  // The browser has no display and must not call its vendor.
  const flags = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  if (process.getuid?.() === 0) flags.push("--no-sandbox");
  try {
    browser = await chromium.launch({ executablePath: process.env.INHOUSE_CHROMIUM, args: flags });
    const page = await scenarios[name]();
    if (page) assert.deepEqual(page.problems, []);
  } finally {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

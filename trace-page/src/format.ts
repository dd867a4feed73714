// Numbers as text.

import type { Tokens } from "./item.ts";

/** Formats a duration in microseconds with three significant digits at most. */
export function duration(micros: number): string {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  const millis = micros / 1000;
  if (millis < 10) return `${millis.toFixed(1)} ms`;
  if (millis < 999.5) return `${Math.round(millis)} ms`;
  const seconds = millis / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours} h ${pad(minutes)} min`;
  return `${minutes} min ${pad(whole % 60)} s`;
}

/** Formats the time since the start: `12.345`, `2:05.300`, `1:00:00.000`. */
export function offset(micros: number): string {
  const millis = Math.round(micros / 1000);
  const rest = `${Math.floor((millis % 60000) / 1000)}.${String(millis % 1000).padStart(3, "0")}`;
  if (millis < 60000) return rest;
  const minutes = Math.floor(millis / 60000);
  const seconds = rest.padStart(6, "0");
  if (minutes < 60) return `${minutes}:${seconds}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${seconds}`;
}

export function count(number: number): string {
  return number.toLocaleString("en");
}

/** Formats a number of tokens for a narrow column: `950`, `12.3k`, `1.2M`. */
export function shortCount(number: number): string {
  if (number < 1000) return String(number);
  if (number < 999_500) return `${(number / 1000).toFixed(number < 99_950 ? 1 : 0)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

/** Formats an amount of US dollars; small amounts keep two significant digits. */
export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  if (amount >= 0.1) return `$${amount.toFixed(2)}`;
  return `$${amount.toFixed(Math.min(8, 1 - Math.floor(Math.log10(amount))))}`;
}

/** Returns all tokens that the model read. */
export function inputTokens(tokens: Tokens): number {
  return tokens.input + tokens.cacheRead + tokens.cacheWrite;
}

/** Steps of a time axis from one second, in seconds. */
const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200];

/** Returns the round times of an axis with at most `wanted` parts. */
export function ticks(from: number, to: number, wanted: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const candidates = power < 1e5 ? [1, 2, 5, 10].map((factor) => factor * power) : STEPS.map((step) => step * 1e6);
  const step = candidates.find((candidate) => span / candidate <= wanted) ?? Math.ceil(span / wanted / 86.4e9) * 86.4e9;
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

/** Formats a time of the axis, without zeros that say nothing. */
export function tickLabel(micros: number): string {
  if (micros === 0) return "0";
  if (micros < 60e6) return duration(micros).replace(/(\.\d*?)0+ /, (_, digits: string) => `${digits === "." ? "" : digits} `);
  return offset(micros).replace(".000", "");
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

// Times as text.

/** Formats a duration in milliseconds with at most two units: `4 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function age(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes < 10 ? `${minutes} min ${pad(seconds % 60)} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${pad(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats a point in time. */
export function moment(millis: number): string {
  return new Date(millis).toLocaleString([], { dateStyle: "medium", timeStyle: "medium", hour12: false });
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

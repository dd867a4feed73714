import { render } from "preact";

import { App } from "./app.tsx";
import "./base.css";
import type { Connection } from "./header.tsx";
import { load } from "./source.ts";
import "./style.css";
import { Trace } from "./trace.ts";

const trace = new Trace();
let connection: Connection = "connecting";
let isScheduled = false;

const show = () => {
  isScheduled = false;
  render(<App trace={trace} source={source} revision={trace.revision} connection={connection} />, document.getElementById("app")!);
};
// Many lines can come at once; they are shown together.
const schedule = () => {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(show);
};

const source = load(trace, schedule, (state) => {
  connection = state;
  schedule();
});
document.title = `${source.name} · inhouse trace`;
show();

import { render } from "preact";

import "../../trace-page/src/base.css";
import type { Connection } from "../../trace-page/src/header.tsx";
import { App } from "./app.tsx";
import { extend, type Point } from "./history.ts";
import { merge, type Snapshot } from "./snapshot.ts";
import { connect, database } from "./source.ts";
import "./style.css";

let snapshot: Snapshot | undefined;
let points: Point[] = [];
let connection: Connection = "connecting";
let problem: string | undefined;
/** When the last snapshot came, on the clock of the page. */
let received = 0;

const show = () => {
  // Ages grow between two snapshots; the clock of this machine may differ from that of the database.
  const now = snapshot ? snapshot.now + (performance.now() - received) : 0;
  render(<App snapshot={snapshot} points={points} now={now} connection={connection} problem={problem} />, document.getElementById("app")!);
};

connect({
  onMembers: (json) => {
    snapshot = merge(snapshot, json);
    points = extend(points, snapshot);
    received = performance.now();
    problem = undefined;
    show();
  },
  onProblem: (text) => {
    problem = text;
    show();
  },
  onConnection: (state) => {
    connection = state;
    show();
  },
});
document.title = `${database} · inhouse fleet`;
setInterval(show, 1000);
show();

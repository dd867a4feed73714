// A list of rows of equal height, of which only those in view are in the document.

import { Fragment, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export const ROW_HEIGHT = 30;
const OVERSCAN = 12;

interface Properties<T> {
  rows: readonly T[];
  role: "grid" | "treegrid";
  /** What the list contains, for screen readers. */
  label: string;
  /** The place of the selected row, or -1. */
  place: number;
  /** The id of the element of the selected row. */
  selectedId: string | undefined;
  /** Changes when the selected row has to be scrolled into view. */
  reveal: number;
  /** Whether the list stays at its end while rows are added. */
  tail?: boolean;
  onTail?: (tail: boolean) => void;
  /** The text that is shown without rows. */
  empty: string;
  children: (row: T, index: number) => ComponentChildren;
}

export function VirtualList<T>({ rows, role, label, place, selectedId, reveal, tail = false, onTail, empty, children }: Properties<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current!;
    if (place < 0) return;
    const [top, bottom] = [place * ROW_HEIGHT, (place + 1) * ROW_HEIGHT];
    if (top < element.scrollTop) element.scrollTop = Math.max(0, top - ROW_HEIGHT);
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom + ROW_HEIGHT - element.clientHeight;
  }, [reveal]);

  useLayoutEffect(() => {
    if (tail) scroller.current!.scrollTop = rows.length * ROW_HEIGHT;
  }, [tail, rows.length]);

  const onScroll = () => {
    const element = scroller.current!;
    setView({ top: element.scrollTop, height: element.clientHeight });
    onTail?.(element.scrollTop + element.clientHeight >= element.scrollHeight - ROW_HEIGHT);
  };

  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + OVERSCAN);
  // Elements are reused for the rows that come into view, which is faster than new ones.
  const slots = Math.ceil(view.height / ROW_HEIGHT) + 2 * OVERSCAN + 2;
  return (
    <div ref={scroller} class="scroller" id="rows" role={role} tabIndex={0} aria-label={label} aria-rowcount={rows.length} aria-activedescendant={selectedId} onScroll={onScroll}>
      <div class="rows" role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <Fragment key={(first + index) % slots}>{children(row, first + index)}</Fragment>
        ))}
      </div>
      {rows.length === 0 && <p class="empty">{empty}</p>}
    </div>
  );
}

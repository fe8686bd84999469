// All files that differ, below each other. Only what is near the screen exists; the reader's place stays while more comes.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { anchorAt, topOf, type Anchor } from "../../../review/anchor";
import { kHeadHeight } from "../../../review/entry";
import type { Review } from "../../../review/review";
import { FileSection } from "./file_section";

/** Drawn above and below what is seen. */
const kAround = 300;
/** Fetched before it is seen. */
const kNear = 1200;

export function DiffList({ review }: { review: Review }) {
  const scroller = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLElement>(null);
  const anchor = useRef<Anchor>(undefined);
  const [view, setView] = useState({ top: review.scrollTop, height: 800 });
  const version = review.version.value;
  const jump = review.jump.value;

  const look = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    review.scrollTop = scrollTop;
    review.top.value = review.entries[review.heights.at(scrollTop + 1)]?.info.path;
    anchor.current = anchorAt(review, scrollTop, anchor.current);
    setView({ top: scrollTop, height: clientHeight });
  };
  const onScroll = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    // What was scrolled from here was looked at already.
    if (Math.abs(scrollTop - review.scrollTop) > 0.5) review.scrolled(scrollTop, clientHeight);
    look();
  };
  const fit = () => {
    const box = probe.current!.getBoundingClientRect();
    const width = scroller.current!.clientWidth || 600;
    const letter = box.width / 10 || 7.5;
    const room = review.split ? width / 2 - 70 : width - 110;
    review.fit({ line: box.height || 20, columns: Math.max(20, Math.floor(room / letter)) });
  };
  useLayoutEffect(() => {
    const element = scroller.current!;
    fit();
    element.scrollTop = review.scrollTop;
    look();
    const sizes = new ResizeObserver(() => {
      fit();
      look();
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  // What is at the top stays at the top.
  useLayoutEffect(() => {
    const element = scroller.current!;
    const wanted = (anchor.current && topOf(review, anchor.current)) ?? review.scrollTop;
    if (Math.abs(wanted - element.scrollTop) > 0.5) {
      element.scrollTop = wanted;
      look();
    }
  }, [version]);
  useLayoutEffect(() => {
    if (!jump) return;
    review.jump.value = undefined;
    const index = review.indexOf(jump.path);
    if (index < 0) return;
    const element = scroller.current!;
    const top = review.heights.top(index);
    if (jump.row === undefined || jump.row < 0) {
      element.scrollTop = top;
    } else {
      const { heights } = review.entries[index]!;
      const at = top + kHeadHeight + heights.top(jump.row);
      const [above, below] = [
        element.scrollTop + kHeadHeight + 40,
        element.scrollTop + element.clientHeight - 80,
      ];
      if (jump.start || at < above) element.scrollTop = at - kHeadHeight - 60;
      else if (at > below) element.scrollTop = at - element.clientHeight + 100;
    }
    look();
  }, [jump]);

  const { entries, heights } = review;
  const first = entries.length === 0 ? 0 : heights.at(Math.max(0, view.top - kAround));
  const last = entries.length === 0 ? -1 : heights.at(view.top + view.height + kAround);
  useEffect(() => {
    const nearFirst = heights.at(Math.max(0, view.top - kNear));
    const nearLast = heights.at(view.top + view.height + kNear);
    const middle = heights.at(view.top);
    review.fetcher.near(
      entries
        .slice(nearFirst, nearLast + 1)
        .map((entry, at) => ({ entry, far: Math.abs(nearFirst + at - middle) }))
        .sort((a, b) => a.far - b.far)
        .map(({ entry }) => entry),
    );
  }, [view.top, view.height, version]);
  return (
    <div class="diff-scroll" ref={scroller} onScroll={onScroll} tabIndex={-1}>
      <code class="dl-probe" ref={probe} aria-hidden="true">
        MMMMMMMMMM
      </code>
      <div class="diff-room" style={{ height: `${heights.total}px` }}>
        {entries.slice(first, last + 1).map((entry, at) => (
          <FileSection
            key={entry.info.path}
            review={review}
            entry={entry}
            index={first + at}
            top={heights.top(first + at)}
            from={view.top - kAround}
            to={view.top + view.height + kAround}
            version={version}
          />
        ))}
      </div>
    </div>
  );
}

// An image as it was and as it is.
import { useEffect, useState } from "preact/hooks";
import { bytes } from "../../../format";
import type { FileEntry } from "../../../review/entry";
import type { Review } from "../../../review/review";

function useBlob(review: Review, entry: FileEntry, side: "from" | "oid", wanted: boolean) {
  const [found, setFound] = useState<{ url?: string; size?: number; problem?: string }>({});
  useEffect(() => {
    if (!wanted) return;
    let [gone, url] = [false, ""];
    review.fetcher.blob(entry, side).then(
      (blob) => {
        if (gone) return;
        url = URL.createObjectURL(blob);
        setFound({ url, size: blob.size });
      },
      (error: Error) => setFound({ problem: error.message }),
    );
    return () => {
      gone = true;
      if (url !== "") URL.revokeObjectURL(url);
    };
  }, [entry.key, side, wanted]);
  return found;
}

export function Images({ review, entry }: { review: Review; entry: FileEntry; version: number }) {
  const { status } = entry.info;
  const before = useBlob(review, entry, "from", status !== "added");
  const after = useBlob(review, entry, "oid", status !== "deleted");
  const one = (words: string, found: typeof before) => (
    <figure class="dl-image">
      <figcaption>
        {words}
        {found.size !== undefined && <span class="muted"> {bytes(found.size)}</span>}
      </figcaption>
      {found.url && <img src={found.url} alt={`${entry.info.path}, ${words.toLowerCase()}`} />}
      {found.problem && <p role="alert">{found.problem}</p>}
    </figure>
  );
  return (
    <div class="dl-images">
      {status !== "added" && one("Before", before)}
      {status !== "deleted" && one(status === "added" ? "New" : "Now", after)}
    </div>
  );
}

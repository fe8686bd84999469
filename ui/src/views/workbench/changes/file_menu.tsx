// What can be done with one file of the changes.
import { useState } from "preact/hooks";
import { discardFile, openInEditor, useEditor } from "../../../actions/review";
import { copyPath } from "../../../actions/sessions";
import { absolute, editors } from "../../../editors";
import type { FileEntry } from "../../../review/entry";
import type { Review } from "../../../review/review";
import { visible } from "../../../reveal";
import { benchOf } from "../../../state/bench";
import { useRoot } from "../../conversation/places";
import { Icon } from "../../icons";
import { IconButton } from "../../parts";
import { Popup } from "../../popup";

export function FileMenu({ review, entry }: { review: Review; entry: FileEntry }) {
  const [anchor, setAnchor] = useState<Element>();
  const { path } = entry.info;
  return (
    <>
      <IconButton
        icon="more"
        label={`Menu of ${visible(path)}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(anchor ? undefined : (event.currentTarget as Element))}
      />
      {anchor && (
        <Entries review={review} entry={entry} anchor={anchor} onClose={() => setAnchor(undefined)} />
      )}
    </>
  );
}

function Entries({
  review,
  entry,
  anchor,
  onClose,
}: {
  review: Review;
  entry: FileEntry;
  anchor: Element;
  onClose: () => void;
}) {
  const { app, session } = review;
  const { path, status } = entry.info;
  const root = useRoot(session);
  const whole = absolute(root, path);
  const configured = useEditor(app);
  const item = (icon: "file" | "copy" | "edit" | "undo", label: string, run: () => void, danger = false) => (
    <button
      type="button"
      role="menuitem"
      class={danger ? "danger" : ""}
      onClick={() => {
        onClose();
        run();
      }}
    >
      <Icon name={icon} size={14} /> {label}
    </button>
  );
  return (
    <Popup label={`Menu of ${visible(path)}`} anchor={anchor} onClose={onClose} class="place-menu">
      {status !== "deleted" &&
        item("file", "Open file", () => {
          benchOf(app).look(session, { path });
          benchOf(app).show("files");
        })}
      {item("copy", "Copy path", () => void copyPath(app, path))}
      {status !== "deleted" &&
        (configured
          ? item("edit", "Open in editor", () => void openInEditor(app, session, { path }))
          : whole !== undefined &&
            editors.map(({ name, address }) => (
              <a
                role="menuitem"
                key={name}
                href={address(whole, { path })}
                rel="noopener noreferrer"
                onClick={() => setTimeout(onClose, 0)}
              >
                <Icon name="edit" size={14} /> Open in {name}
              </a>
            )))}
      {item("undo", "Discard changes…", () => discardFile(review, entry), true)}
    </Popup>
  );
}

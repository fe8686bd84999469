// What can be done with a file that an agent named. It comes with the dialogs.
import { useEffect } from "preact/hooks";
import { copyPath } from "../../actions/sessions";
import { absolute, editors } from "../../editors";
import { within } from "../../format";
import type { Place } from "../../paths";
import { visible } from "../../reveal";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Popup } from "../popup";
import { openInEditor, useEditor } from "../../actions/review";
import { benchOf } from "../../state/bench";
import { Revealed } from "./revealed";

/** How a link was pressed: plainly it opens the file here, with Ctrl in the editor; with Alt or Shift there is the menu. */
let pressed: "here" | "editor" | "menu" = "here";
const hear = (event: MouseEvent | KeyboardEvent) => {
  pressed = event.altKey || event.shiftKey ? "menu" : event.ctrlKey || event.metaKey ? "editor" : "here";
};
document.addEventListener("click", hear, true);
document.addEventListener("keydown", hear, true);

export function PlaceMenu({
  place,
  root,
  anchor,
  onClose,
}: {
  place: Place;
  root: string;
  anchor: Element;
  onClose: () => void;
}) {
  const app = useApp();
  const path = absolute(root, place.path);
  const inside = within(root, path ?? place.path);
  const sessionId = benchOf(app).session.value;
  const ours = sessionId !== undefined && path !== undefined && inside !== path;
  const configured = useEditor(app);
  const file = { path: inside, ...(place.line === undefined ? {} : { line: place.line }) };
  const view = () => {
    onClose();
    benchOf(app).look(sessionId!, file);
    benchOf(app).show("files");
  };
  const edit = () => {
    onClose();
    void openInEditor(app, sessionId!, file);
  };
  const straight =
    ours && anchor.matches(".file-link") && (pressed === "here" || (pressed === "editor" && configured));
  useEffect(() => {
    if (straight) (pressed === "here" ? view : edit)();
  }, []);
  const copy = (text: string) => () => {
    onClose();
    void copyPath(app, text);
  };
  if (straight) return null;
  return (
    <Popup label={`File ${visible(place.path)}`} anchor={anchor} onClose={onClose} class="place-menu">
      <p class="place-name">
        <Revealed text={path ?? place.path} />
        {place.line !== undefined && `:${place.line}`}
      </p>
      {ours && (
        <button type="button" role="menuitem" onClick={view}>
          <Icon name="file" size={14} /> Open here
        </button>
      )}
      {ours && configured && (
        <button type="button" role="menuitem" onClick={edit}>
          <Icon name="edit" size={14} /> Open in editor
        </button>
      )}
      <button type="button" role="menuitem" onClick={copy(path ?? place.path)}>
        <Icon name="copy" size={14} /> Copy path
      </button>
      {path !== undefined && inside !== path && (
        <button type="button" role="menuitem" onClick={copy(inside)}>
          <Icon name="copy" size={14} /> Copy relative path
        </button>
      )}
      {path !== undefined &&
        editors.map(({ name, address }) => (
          <a
            role="menuitem"
            key={name}
            href={address(path, place)}
            rel="noopener noreferrer"
            onClick={() => setTimeout(onClose, 0)} // After the browser followed it.
          >
            <Icon name="edit" size={14} /> Open in {name}
          </a>
        ))}
    </Popup>
  );
}

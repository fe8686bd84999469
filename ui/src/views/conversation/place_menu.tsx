// What can be done with a file that an agent named. It comes with the dialogs.
import { copyPath } from "../../actions/sessions";
import { absolute, editors } from "../../editors";
import { within } from "../../format";
import type { Place } from "../../paths";
import { visible } from "../../reveal";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Popup } from "../popup";
import { Revealed } from "./revealed";

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
  const copy = (text: string) => () => {
    onClose();
    void copyPath(app, text);
  };
  return (
    <Popup label={`File ${visible(place.path)}`} anchor={anchor} onClose={onClose} class="place-menu">
      <p class="place-name">
        <Revealed text={path ?? place.path} />
        {place.line !== undefined && `:${place.line}`}
      </p>
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

// A file that an agent named: what can be done with it, in a small menu.
import { useRef, useState } from "preact/hooks";
import { copyPath } from "../../actions/sessions";
import { within } from "../../format";
import { absolute, editors, type Place } from "../../paths";
import { visible } from "../../reveal";
import { useApp } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../parts";
import { Popup } from "../popup";
import { Revealed } from "./revealed";

/** The folder that a session works in. */
export function useRoot(sessionId: string): string {
  const app = useApp();
  return app.projects.of(app.sessions.of(sessionId)?.peek().projectId ?? "")?.path ?? "";
}

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

/** A path as a link to that menu. */
export function PlaceLink({ place, root }: { place: Place; root: string }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="file-link"
        title={visible(place.path)}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <bdi>
          <Revealed text={within(root, place.path)} />
        </bdi>
        {place.line !== undefined && `:${place.line}`}
      </button>
      {open && (
        <PlaceMenu place={place} root={root} anchor={button.current!} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

/** The same where the path stands already, in something that is pressed for another reason. */
export function PlaceButton({ place, root }: { place: Place; root: string }) {
  const [anchor, setAnchor] = useState<Element>();
  return (
    <>
      <IconButton
        icon="more"
        label={`File ${visible(within(root, place.path))}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(anchor ? undefined : (event.currentTarget as Element))}
      />
      {anchor && <PlaceMenu place={place} root={root} anchor={anchor} onClose={() => setAnchor(undefined)} />}
    </>
  );
}

// The answers of an approval: one to go on, one to refuse, the rest in a menu. Named by what they do.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { keyName } from "../../format";
import { arrange, labelOf, wordsOf } from "../../options";
import type { Approval, ApprovalOption } from "../../wire";
import { Icon } from "../icons";
import { useDialogs } from "../later";
import { Revealed } from "./revealed";

interface Props {
  item: Approval;
  busy: boolean;
  /** Not long enough on screen to be meant. */
  fresh: boolean;
  /** Out of its conversation, where the keys of the page do not reach it. */
  alone: boolean;
  choose: (option: ApprovalOption) => void;
  /** Instead of the first answer: what sends the answers to questions. */
  primary?: ComponentChildren;
  /** How the other answers are reached: 1 for the first, 2 to refuse, 3 for the rest. */
  keys?: boolean;
}

export function Choices({ item, busy, fresh, alone, choose, primary, keys = true }: Props) {
  const { primary: first, also, reject, rest } = arrange(item.options, item.kind);
  const shared = { item, busy, fresh, choose };
  const chord = alone ? undefined : (number: number) => `Alt+Shift+${number}`;
  const key = (number: number) => (keys ? { number, shortcut: chord?.(number) } : undefined);
  return (
    <>
      {primary ?? (first && <Choice {...shared} option={first} look="primary" at={key(1)} />)}
      {also && <Choice {...shared} option={also} look="also" at={undefined} />}
      {reject && <Choice {...shared} option={reject} look="reject" at={key(2)} />}
      {rest.length > 0 && <Rest {...shared} options={rest} at={key(3)} />}
      {keys && !alone && item.options.length > 0 && (
        <span class="keys" aria-hidden="true">
          <kbd>{keyName("Alt")}</kbd> <kbd>{keyName("Shift")}</kbd> and the number
        </span>
      )}
    </>
  );
}

interface At {
  number: number;
  shortcut: string | undefined;
}
type Shared = Pick<Props, "item" | "busy" | "fresh" | "choose">;

function Key({ at }: { at: At | undefined }) {
  return at ? <kbd aria-hidden="true">{at.number}</kbd> : null;
}

function Choice({
  item,
  busy,
  fresh,
  choose,
  option,
  look,
  at,
}: Shared & { option: ApprovalOption; look: string; at: At | undefined }) {
  const words = wordsOf(item, option);
  return (
    <button
      type="button"
      disabled={busy}
      aria-disabled={fresh || undefined}
      onClick={() => !fresh && choose(option)}
      class={`button ${look}`}
      data-answer={at?.number}
      aria-keyshortcuts={at?.shortcut}
    >
      <span>
        {labelOf(item, option)}
        {words && (
          <span class="choice-words">
            <Revealed text={words} />
          </span>
        )}
      </span>
      <Key at={at} />
    </button>
  );
}

function Rest({
  item,
  busy,
  choose,
  options,
  at,
}: Shared & { options: readonly ApprovalOption[]; at: At | undefined }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const views = useDialogs(open);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button"
        disabled={busy}
        aria-haspopup="menu"
        aria-expanded={open}
        data-answer={at?.number}
        aria-keyshortcuts={at?.shortcut}
        onClick={() => setOpen(!open)}
      >
        More
        <Icon name="down" size={12} />
        <Key at={at} />
      </button>
      {open && !busy && views && (
        <views.MoreAnswers
          item={item}
          options={options}
          anchor={button.current!}
          onClose={() => setOpen(false)}
          choose={(option) => {
            setOpen(false);
            button.current?.focus();
            choose(option);
          }}
        />
      )}
    </>
  );
}

// The answers of an approval that are seldom given, with what each covers. It comes with the dialogs.
import { labelOf, wordsOf } from "../../options";
import type { Approval, ApprovalOption } from "../../wire";
import { Popup } from "../popup";
import { Revealed } from "./revealed";

export function MoreAnswers({
  item,
  options,
  choose,
  ...popup
}: {
  item: Approval;
  options: readonly ApprovalOption[];
  anchor: Element;
  onClose: () => void;
  choose: (option: ApprovalOption) => void;
}) {
  return (
    <Popup {...popup} label="More answers" class="answers">
      {options.map((option) => (
        <button type="button" role="menuitem" key={option.optionId} onClick={() => choose(option)}>
          <strong>{labelOf(item, option)}</strong>
          <Covered item={item} option={option} />
        </button>
      ))}
    </Popup>
  );
}

/** What an answer that lasts lasts for; what else another one does. */
function Covered({ item, option }: { item: Approval; option: ApprovalOption }) {
  const words = wordsOf(item, option);
  if (words)
    return (
      <span class="choice-words">
        <Revealed text={words === option.name.trim() ? `“${words}”` : words} />
      </span>
    );
  // Another answer has the same label: only its name tells them apart.
  const same = item.options.filter((other) => labelOf(item, other) === labelOf(item, option));
  if (same.length > 1 && option.name.trim() !== "")
    return (
      <span class="choice-words">
        <Revealed text={`“${option.name.trim()}”`} />
      </span>
    );
  return option.kind.endsWith("always") ? (
    <span class="choice-words">The agent does not say what this covers, or for how long.</span>
  ) : null;
}

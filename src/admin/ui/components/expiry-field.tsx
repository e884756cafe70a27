import { type ExpiryChoice, type ExpiryInput, expiryOfPreset } from '../format/expiry-choices.js';
import { formatDate, formatExact, formatForInput, formatMinute } from '../format/times.js';
import { FieldError, invalidity } from './field.js';

interface ExpiryFieldProps {
  input: ExpiryInput;
  /** The current expiry of an edited key, which can be kept. */
  current?: string;
  nowMs: number;
  maxExpiresOn: string;
  error?: string | undefined;
  focused?: boolean;
  disabled?: boolean;
}

const presets = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['year', '1 year'],
] as const;

/** `Expires on` of a key that cannot be edited. */
export function FixedExpiryField({ current }: { current: string }) {
  return (
    <div class="field">
      <label for="expires-on">Expires on</label>
      <input class="input" id="expires-on" type="text" value={formatExact(current)} disabled />
    </div>
  );
}

/** `Expires on`: presets with their dates, or any time up to the maximum. */
export function ExpiryField({
  input,
  current,
  nowMs,
  maxExpiresOn,
  error,
  focused,
  disabled = false,
}: ExpiryFieldProps) {
  const errorId = 'expires-on-error';
  // A preset has no field that could take the focus.
  const focusOnCustom = focused === true && input.choice === 'custom';
  const custom = input.custom === '' && current !== undefined ? formatForInput(current) : input.custom;
  return (
    <fieldset
      class="field expiry"
      {...(disabled && { disabled: true })}
      {...(error !== undefined && { 'aria-describedby': errorId })}
    >
      <legend class="label">Expires on</legend>
      <div class="choices">
        {current !== undefined && (
          <Choice value="keep" text="As it is" detail={`${formatMinute(current)} UTC`} input={input} />
        )}
        {presets.map(([value, text]) => (
          <Choice
            value={value}
            text={current === undefined ? text : `${text} from today`}
            detail={formatDate(expiryOfPreset(value, { nowMs, maxExpiresOn }))}
            input={input}
            focused={focused === true && input.choice === value}
          />
        ))}
        <Choice value="custom" text="Custom" detail={`until ${formatDate(maxExpiresOn)}`} input={input} />
        <div class="custom-expiry">
          <label class="small" for="expires-on">
            Date and time (UTC)
          </label>
          <input
            class="input"
            id="expires-on"
            name="expiresOn"
            type="datetime-local"
            value={custom}
            min={formatForInput(nowMs)}
            max={formatForInput(maxExpiresOn)}
            {...(focusOnCustom && { autofocus: true })}
            {...invalidity(errorId, error)}
          />
        </div>
      </div>
      <FieldError id={errorId} message={error} />
    </fieldset>
  );
}

interface ChoiceProps {
  value: ExpiryChoice;
  text: string;
  detail: string;
  input: ExpiryInput;
  focused?: boolean;
}

function Choice({ value, text, detail, input, focused = false }: ChoiceProps) {
  return (
    <label class="choice">
      <input
        type="radio"
        name="expiry"
        value={value}
        {...(input.choice === value && { checked: true })}
        {...(focused && { autofocus: true })}
      />
      <span>{text}</span>
      <span class="choice-detail">{detail}</span>
    </label>
  );
}

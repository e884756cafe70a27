import { type ExpiryChoice, type ExpiryInput, expiryOfPreset, expiryPresets } from '../format/expiry-choices.js';
import { formatForInput } from '../format/times.js';
import { useShown } from '../look.js';
import { FieldError, invalidity } from './field.js';

interface ExpiryFieldProps {
  input: ExpiryInput;
  /** The current expiry of an edited key, which can be kept. */
  current: string | undefined;
  error: string | undefined;
  focused: boolean;
}

/** `Expires on` of a key that cannot be edited. */
export function FixedExpiryField({ current }: { current: string }) {
  const { dates, texts } = useShown();
  return (
    <div class="field">
      <label for="expires-on">{texts.expiresOn}</label>
      <input class="input" id="expires-on" type="text" value={dates.exact(current)} disabled />
    </div>
  );
}

/** `Expires on`: presets with their dates, or any time up to the maximum. */
export function ExpiryField({ input, current, error, focused }: ExpiryFieldProps) {
  const { dates, maxExpiresOn, nowMs, texts } = useShown();
  const errorId = 'expires-on-error';
  // A preset has no field that could take the focus.
  const focusOnCustom = focused && input.choice === 'custom';
  const custom = input.custom === '' && current !== undefined ? formatForInput(current) : input.custom;
  return (
    <fieldset class="field expiry" {...(error !== undefined && { 'aria-describedby': errorId })}>
      <legend class="label">{texts.expiresOn}</legend>
      <div class="choices">
        {current !== undefined && (
          <Choice value="keep" text={texts.asItIs} detail={dates.minuteUtc(current)} input={input} />
        )}
        {expiryPresets.map((value) => (
          <Choice
            value={value}
            text={current === undefined ? texts.expiryChoices[value] : texts.fromToday(texts.expiryChoices[value])}
            detail={dates.minuteUtc(expiryOfPreset(value, { nowMs, maxExpiresOn }))}
            input={input}
            focused={focused && input.choice === value}
          />
        ))}
        <Choice value="custom" text={texts.custom} detail={texts.until(dates.minuteUtc(maxExpiresOn))} input={input} />
        <div class="custom-expiry">
          <label class="small" for="expires-on">
            {texts.dateAndTime}
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

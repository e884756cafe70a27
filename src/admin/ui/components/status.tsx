import type { ApiKey, ApiKeyStatus } from '../../../api-keys/index.js';
import { expiresSoon, isUsedInVain } from '../format/warnings.js';
import { useShown } from '../look.js';
import type { AdminTexts } from '../texts/texts-option.js';
import { Icon, type IconName } from './icon.js';

const icons: Readonly<Record<ApiKeyStatus, IconName>> = { Active: 'check', Expired: 'clock', Revoked: 'cross' };

export function textOfStatus(status: ApiKeyStatus, texts: AdminTexts): string {
  return { Active: texts.active, Expired: texts.expired, Revoked: texts.revoked }[status];
}

export function Status({ status }: { status: ApiKeyStatus }) {
  return (
    <span class={`status status-${status.toLowerCase()}`}>
      <Icon name={icons[status]} size={12} />
      {textOfStatus(status, useShown().texts)}
    </span>
  );
}

/** A remark below a value, with an icon, so that it does not depend on its color. */
function WarningLine({ title, text }: { title?: string; text: string }) {
  return (
    <span class="warning-line" {...(title !== undefined && { title })}>
      <Icon name="warning" size={13} />
      <span>{text}</span>
    </span>
  );
}

export function ExpiryWarning({ apiKey }: { apiKey: ApiKey }) {
  const { nowMs, texts } = useShown();
  return expiresSoon(apiKey, nowMs) ? <WarningLine text={texts.expiresSoon} /> : null;
}

/** Says when and how often an ended key was used. */
export function RefusedUseWarning({ apiKey }: { apiKey: ApiKey }) {
  const { dates, nowMs, texts } = useShown();
  const { lastRefusedOn, refusedUses } = apiKey;
  if (!isUsedInVain(apiKey) || lastRefusedOn === null) return null;
  const text = texts.usedSince(refusedUses, dates.relative(lastRefusedOn, nowMs));
  return <WarningLine text={text} title={dates.exact(lastRefusedOn)} />;
}

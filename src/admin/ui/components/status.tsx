import type { ApiKey, ApiKeyStatus } from '../../../api-keys/index.js';
import { formatExact, formatRelative } from '../format/times.js';
import { countOf, expiresSoon, isUsedInVain } from '../format/warnings.js';
import { Icon, type IconName } from './icon.js';

const icons: Readonly<Record<ApiKeyStatus, IconName>> = { Active: 'check', Expired: 'clock', Revoked: 'cross' };

export function Status({ status }: { status: ApiKeyStatus }) {
  return (
    <span class={`status status-${status.toLowerCase()}`}>
      <Icon name={icons[status]} size={12} />
      {status}
    </span>
  );
}

/** A remark below a value, with an icon, so that it does not depend on its colour. */
function WarningLine({ title, text }: { title?: string; text: string }) {
  return (
    <span class="warning-line" {...(title !== undefined && { title })}>
      <Icon name="warning" size={13} />
      <span>{text}</span>
    </span>
  );
}

export function ExpiryWarning({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  return expiresSoon(apiKey, nowMs) ? <WarningLine text="Expires soon" /> : null;
}

/** Says when and how often an ended key was used. */
export function RefusedUseWarning({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const { lastRefusedOn, refusedUses } = apiKey;
  if (!isUsedInVain(apiKey) || lastRefusedOn === null) return null;
  const text = `Used ${countOf(refusedUses, 'time')} since, last ${formatRelative(lastRefusedOn, nowMs)}`;
  return <WarningLine text={text} title={formatExact(lastRefusedOn)} />;
}

import { describe, expect, test } from 'vitest';
import { releaseNotes } from '../../scripts/release-notes.js';

const changelog =
  '# Changelog\n\n## 1.2.0 (2027-01-31)\n\n- More.\n\n### Keys\n\n- Less.\n\n## 1.1.0 (2026-12-24)\n\n- First.\n';

describe('notes of a release', () => {
  test('are the section of its version, and nothing else', () => {
    expect(releaseNotes({ tag: 'v1.2.0', version: '1.2.0', changelog })).toBe('- More.\n\n### Keys\n\n- Less.');
    expect(releaseNotes({ tag: 'v1.1.0', version: '1.1.0', changelog })).toBe('- First.');
  });

  test.each([
    ['a tag of another version', 'v1.2.0', '1.1.0', 'The tag is v1.2.0, but package.json says 1.1.0.'],
    ['a tag without its letter', '1.2.0', '1.2.0', 'The tag is 1.2.0, but package.json says 1.2.0.'],
    ['no section', 'v1.2', '1.2', 'CHANGELOG.md has no section "## 1.2 (YYYY-MM-DD)".'],
  ])('are refused for %s', (_what, tag, version, message) => {
    expect(() => releaseNotes({ tag, version, changelog })).toThrow(message);
  });

  test('are refused while the changelog has no date', () => {
    const undated = '## 1.3.0 (not released)\n\n- More.\n';
    expect(() => releaseNotes({ tag: 'v1.3.0', version: '1.3.0', changelog: undated })).toThrow(
      'CHANGELOG.md says "1.3.0 (not released)": write the date of the release, "1.3.0 (YYYY-MM-DD)".',
    );
  });
});

/** Where a mirrored issue comes from. */
export interface Origin {
  /** `owner/name` */
  repository: string;
  number: number;
}

// Only the end of the text counts: an issue may itself be the mirror of another one and carry that one's marker.
const markerAtEnd = /<!-- concordat:source=([\w.-]+\/[\w.-]+)#([1-9]\d{0,9}) -->\s*$/;

/**
 * Adds the marker that ties a mirrored issue to its source. It is written in the same request as the issue itself, so
 * whatever happens in between, an issue that exists can be found again and is never created twice.
 */
export function addMarker(body: string, { repository, number }: Origin): string {
  const marker = `<!-- concordat:source=${repository}#${number} -->`;
  return body === '' ? marker : `${body}\n\n${marker}`;
}

/** Reads the marker. Without one, the issue is nobody's mirror. */
export function readMarker(body: string): Origin | undefined {
  const match = markerAtEnd.exec(body);
  return match === null ? undefined : { repository: match[1] as string, number: Number(match[2]) };
}

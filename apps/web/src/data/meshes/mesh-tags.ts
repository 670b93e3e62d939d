/** What a tag of the mesh plugin contains, according to its suffix. */
export const meshParts = ['VERTEX', 'FACE', 'COLOR'] as const;
export type MeshPart = (typeof meshParts)[number];

/**
 * The name of a mesh, for example `head` for the tags `head_VERTEX`, `head_FACE` and `head_COLOR`.
 */
export function meshName(tag: string): string {
  return tag.replace(/_(?:VERTEX|FACE|COLOR)$/, '');
}

/** The tag of one part of a mesh. */
export function meshTag(name: string, part: MeshPart): string {
  return `${name}_${part}`;
}

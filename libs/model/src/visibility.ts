/**
 * Who may read an experiment without a share link: its workspace, or everyone who has its address.
 */
export const visibilities = ['private', 'public'] as const;
export type Visibility = (typeof visibilities)[number];

import { TagSections } from '../tag-sections.tsx';
import { MeshRuns } from './mesh-runs.tsx';
import { meshName } from './mesh-tags.ts';

/** Meshes and point clouds of all runs, at one step. */
export default function MeshesPanel() {
  return <TagSections tab="meshes" nameOf={meshName} section={(name) => <MeshRuns name={name} />} />;
}

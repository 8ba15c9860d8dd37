/**
 * Backups of a database and restores to any commit that they contain.
 *
 * <p>A backup target holds sets of files per database. A <em>full</em> set has all entities at one
 * version; every set but the first has the log of all commits since the set before it. A manifest
 * names the files of a set with their hashes, and the set before it: damage and gaps are found
 * before anything is restored. Index rows are not stored, since they are functions of the entities;
 * the definitions of composite indexes are.
 *
 * <p>{@link petrichor.movement.backups.DatabaseRows} is the server's side. {@link
 * petrichor.movement.backups.BackupRun}, {@link petrichor.movement.backups.BackupCheck} and {@link
 * petrichor.movement.backups.Restore} work with files on one side and a {@link
 * petrichor.movement.backups.RowsOwner} on the other.
 */
@NullMarked
package petrichor.movement.backups;

import org.jspecify.annotations.NullMarked;

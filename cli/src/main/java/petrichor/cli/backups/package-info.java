/** {@code petrichor backup}: creates, verifies, restores, schedules and prunes backups. */
@NullMarked
package petrichor.cli.backups;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.movement.backups;

import org.jspecify.annotations.NullMarked;

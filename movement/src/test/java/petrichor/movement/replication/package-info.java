@NullMarked
package petrichor.movement.replication;

import org.jspecify.annotations.NullMarked;

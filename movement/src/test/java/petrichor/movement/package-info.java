/** Tests of what goes in and out. */
@NullMarked
package petrichor.movement;

import org.jspecify.annotations.NullMarked;

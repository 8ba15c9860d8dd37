/** Tests of exports and imports. */
@NullMarked
package petrichor.movement;

import org.jspecify.annotations.NullMarked;

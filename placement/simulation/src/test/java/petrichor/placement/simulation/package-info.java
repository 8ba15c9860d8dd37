@NullMarked
package petrichor.placement.simulation;

import org.jspecify.annotations.NullMarked;

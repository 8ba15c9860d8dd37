/** Graphs of keys that are read together: generated ones with communities, and edge lists. */
@NullMarked
package petrichor.placement.graph;

import org.jspecify.annotations.NullMarked;

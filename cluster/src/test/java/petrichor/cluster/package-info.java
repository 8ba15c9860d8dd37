@NullMarked
package petrichor.cluster;

import org.jspecify.annotations.NullMarked;

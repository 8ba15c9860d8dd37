@NullMarked
package petrichor.coordination.embedded;

import org.jspecify.annotations.NullMarked;

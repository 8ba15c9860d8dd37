@NullMarked
package petrichor.deployment;

import org.jspecify.annotations.NullMarked;

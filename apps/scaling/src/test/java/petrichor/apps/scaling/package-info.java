@NullMarked
package petrichor.apps.scaling;

import org.jspecify.annotations.NullMarked;

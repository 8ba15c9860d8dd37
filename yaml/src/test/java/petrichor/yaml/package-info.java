@NullMarked
package petrichor.yaml;

import org.jspecify.annotations.NullMarked;

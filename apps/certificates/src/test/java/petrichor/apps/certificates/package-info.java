@NullMarked
package petrichor.apps.certificates;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.apps.hosting;

import org.jspecify.annotations.NullMarked;

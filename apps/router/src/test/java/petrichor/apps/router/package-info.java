@NullMarked
package petrichor.apps.router;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.apps.instances;

import org.jspecify.annotations.NullMarked;

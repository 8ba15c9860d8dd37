@NullMarked
package petrichor.apps.hosting.cluster;

import org.jspecify.annotations.NullMarked;

/**
 * Machines that are processes on this computer: {@link petrichor.cloud.local.LocalCloud}. Each has
 * a folder in which its whole state lies, so that it is found again whoever opens the cloud, and
 * cores and memory of its own, kept by cgroups where this user may make some ({@link
 * petrichor.cloud.local.Fence}).
 */
@NullMarked
package petrichor.cloud.local;

import org.jspecify.annotations.NullMarked;

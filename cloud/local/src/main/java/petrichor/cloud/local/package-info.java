/**
 * Machines that are processes on this computer: {@link petrichor.cloud.local.LocalCloud}. Each has
 * a folder with its complete state, so that any process that opens the cloud finds it, and its own
 * cores and memory, limited by cgroups where this user may create them ({@link
 * petrichor.cloud.local.Fence}).
 */
@NullMarked
package petrichor.cloud.local;

import org.jspecify.annotations.NullMarked;

/**
 * A cloud whose machines are processes on this host: {@link petrichor.cloud.local.LocalCloud}. Each
 * machine has a folder with its complete state, so that any process that opens the cloud finds it.
 * Its cores and memory are limited by cgroups if this user may create them ({@link
 * petrichor.cloud.local.Fence}).
 */
@NullMarked
package petrichor.cloud.local;

import org.jspecify.annotations.NullMarked;

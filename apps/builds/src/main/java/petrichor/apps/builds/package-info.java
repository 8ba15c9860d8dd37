/**
 * Builds of apps. {@link petrichor.apps.builds.SourceArchive} turns a folder, archive or Git
 * repository into immutable sources under their content hash; {@link petrichor.apps.builds.Builds}
 * turns sources into a runnable folder with a start command.
 *
 * <p>A build has up to four stages ({@link petrichor.apps.builds.BuildStage}). The steps of a
 * language ({@code PythonSteps}, {@code NodeSteps}, {@code GoSteps}, {@code JavaSteps}) run
 * commands in a {@code BuildRun}, which owns the build's temporary folders and log. Dependencies
 * are installed into a layer, which later builds of the app with the same dependencies reuse.
 * Layers, builds and sources are stored in a {@code TreeStore}: made in a temporary folder, sealed,
 * and published by a rename. {@code CacheEviction} removes the least recently used of them.
 *
 * <p>A build executes arbitrary code: setup.py, npm scripts, plugins of Maven. It therefore runs as
 * a user of its own if the server is root ({@code Confinement}), sees only a list of settings of
 * the machine ({@code PassedSettings}), and is killed with every process that it started ({@code
 * ProcessTree}). What it leaves is read by the server without following links ({@code FileTrees}).
 */
@NullMarked
package petrichor.apps.builds;

import org.jspecify.annotations.NullMarked;

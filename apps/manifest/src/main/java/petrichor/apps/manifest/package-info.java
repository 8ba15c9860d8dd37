/**
 * What an app declares about itself, read from the files of its folder. Nothing here starts, stores
 * or serves anything: builds, instances, the router and the autoscaler act on these records.
 *
 * <p>{@link petrichor.apps.manifest.AppYaml} reads App Engine's {@code app.yaml} into a tree of
 * records: {@link petrichor.apps.manifest.AppRuntime}, {@link petrichor.apps.manifest.Routes} with
 * their {@link petrichor.apps.manifest.UrlHandler}s, and {@link
 * petrichor.apps.manifest.AppScaling}. Keys that App Engine knows and Petrichor does not support
 * are accepted with a {@link petrichor.apps.manifest.ManifestWarning}; unknown keys are errors with
 * the nearest name. An app without {@code app.yaml} runs if its runtime is evident ({@link
 * petrichor.apps.manifest.EvidentRuntime}), with the start command of its {@link
 * petrichor.apps.manifest.Procfile} if it has one. {@link petrichor.apps.manifest.DispatchYaml}
 * assigns hosts and paths to services, and {@link petrichor.apps.manifest.IgnoreFile} decides which
 * files belong to a version.
 *
 * <p>Regular expressions come from users and run in the router, so {@link
 * petrichor.apps.manifest.UrlPattern} runs them in linear time. Google's own Python parser is the
 * oracle of the tests; {@code disagreements.md} beside them explains each difference.
 */
@NullMarked
package petrichor.apps.manifest;

import org.jspecify.annotations.NullMarked;

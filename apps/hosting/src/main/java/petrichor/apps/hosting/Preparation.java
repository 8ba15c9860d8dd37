package petrichor.apps.hosting;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.Consumer;
import petrichor.apps.builds.AppRuntime;
import petrichor.apps.builds.BuildRequest;
import petrichor.apps.builds.BuildResult;
import petrichor.apps.builds.Builds;
import petrichor.apps.builds.RuntimeFamily;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.router.table.VersionName;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/** The way from sources to a version that can run. Changes nothing but caches. Thread-safe. */
final class Preparation {
    /** App Engine's names of versions that have none. */
    private static final DateTimeFormatter VERSION =
            DateTimeFormatter.ofPattern("yyyyMMdd't'HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final HostingSettings settings;
    private final Builds builds;
    private final TimeSource time;

    Preparation(HostingSettings settings, Builds builds, TimeSource time) {
        this.settings = settings;
        this.builds = builds;
        this.time = time;
    }

    /** The project of a request without a version. */
    String app(DeployRequest request) {
        return request.app()
                .orElseThrow(
                        () ->
                                PetrichorException.invalid(
                                        "the command does not name the project; use --project"));
    }

    /** The name of the version that a request asks for. */
    VersionName name(DeployRequest request, AppManifest manifest) {
        var target = manifest.yaml().target();
        String app =
                request.app()
                        .or(target::project)
                        .orElseThrow(
                                () ->
                                        PetrichorException.invalid(
                                                "neither the command nor app.yaml names the"
                                                        + " project; use --project"));
        String version =
                request.version()
                        .or(target::version)
                        .orElseGet(
                                () ->
                                        VERSION.format(
                                                Instant.EPOCH.plus(
                                                        time.epochMicros(), ChronoUnit.MICROS)));
        return new VersionName(app, target.service(), version);
    }

    BuildResult build(
            VersionName name,
            Sources sources,
            AppManifest manifest,
            Consumer<DeployEvent> progress,
            Cancellation cancellation) {
        var runtime = manifest.yaml().execution().runtime();
        return builds.build(
                new BuildRequest(
                        sources,
                        new AppRuntime(
                                switch (runtime.language()) {
                                    case PYTHON -> RuntimeFamily.PYTHON;
                                    case NODE -> RuntimeFamily.NODE;
                                    case GO -> RuntimeFamily.GO;
                                    case JAVA -> RuntimeFamily.JAVA;
                                },
                                runtime.version()),
                        manifest.entrypoint().orElse(null),
                        manifest.yaml().build().variables(),
                        name.app(),
                        event -> progress.accept(new DeployEvent.Building(event))),
                cancellation);
    }

    HostedVersion prepared(
            VersionName name,
            VersionRecord record,
            Sources sources,
            AppManifest manifest,
            BuildResult.Built built) {
        StaticTree files =
                StaticTree.of(
                        sources.folder(),
                        manifest,
                        settings.folder().resolve("static").resolve(sources.hash()));
        return new HostedVersion(
                name,
                record,
                sources,
                manifest,
                built,
                VersionRouting.of(name, manifest, sources.folder(), files));
    }
}

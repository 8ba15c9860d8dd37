package petrichor.apps.router.table;

import petrichor.base.PetrichorException;

/** The full name of a version of a service of an app. */
public record VersionName(String app, String service, String version) {
    public VersionName {
        if (app.isEmpty() || service.isEmpty() || version.isEmpty()) {
            throw PetrichorException.invalid(
                    "the version '{app}/{service}/{version}' lacks a name; name all three",
                    "app",
                    app,
                    "service",
                    service,
                    "version",
                    version);
        }
    }

    @Override
    public String toString() {
        return app + "/" + service + "/" + version;
    }
}

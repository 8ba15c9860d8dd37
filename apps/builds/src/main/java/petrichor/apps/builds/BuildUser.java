package petrichor.apps.builds;

import petrichor.base.PetrichorException;

/** The operating system's user and group of an app's builds. */
public record BuildUser(int uid, int gid) {
    public BuildUser {
        if (uid <= 0 || gid <= 0) {
            throw PetrichorException.invalid(
                    "builds must not run as root: use a positive user id and group id");
        }
    }
}

//! Files of Wiki Live Challenge.

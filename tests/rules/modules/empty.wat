;; A module that is not a plugin.
(module)
